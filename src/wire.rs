//! What goes over the wire: request bodies as they are read, reply bodies as they are written.
//!
//! Every way in (HTTP, WebSocket, command line) shares these, so that a call has one form. Reads strictly: unknown
//! and repeated keys, NUL and numbers that are no plain digits are faults with pointers, all of them at once.

mod acts;
mod reader;
mod reply;
mod request;

pub use acts::{
    AnswerForm, CancelForm, ClaimForm, DeclineForm, EmptyForm, ExtendForm, UndoForm, read_answer, read_cancel,
    read_claim, read_decline, read_empty, read_extend, read_undo,
};
pub use reader::{Reader, parse_whole};
pub use reply::{
    AnyWaitReply, CallList, CallReply, ConnectionsReply, DialectReply, EventReply, LimitReply, LimitsReply, MeReply,
    PersonReply, ProblemReply, RefusedReply, SeenReply, SignInLinkReply, SyncReply, TokenReply, ToolResultReply,
    TrailReply,
};
pub use request::{
    AnyWaitForm, DialectForm, PersonForm, SignInLinkForm, TokenForm, read_any_wait, read_ask, read_dialect_ask,
    read_person, read_sign_in_link, read_token, same_ask,
};
