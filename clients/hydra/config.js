// The plugin's configuration: what is wrong with it is said when the plugin starts, never when a model asks.

const DEFAULTS = {
  url: undefined,
  token: undefined,
  agentName: "hydra",
  timeoutSeconds: undefined,
  onUnattended: undefined,
  priority: undefined,
  tags: undefined,
  reachSeconds: 10,
};

/**
 * The configuration with its defaults, checked.
 *
 * @param {import("./index.js").Config | null | undefined} given
 * @param {Record<string, string | undefined>} env
 */
export function readConfig(given, env) {
  const unknown = Object.keys(given ?? {}).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown !== undefined) {
    throw fault(`does not know the setting "${unknown}"; it knows ${Object.keys(DEFAULTS).join(", ")}`);
  }
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const config = { ...DEFAULTS, .../** @type {import("./index.js").Config} */ (Object.fromEntries(set)) };
  for (const name of /** @type {const} */ (["timeoutSeconds", "reachSeconds"])) {
    const seconds = config[name];
    if (seconds !== undefined && !(Number.isInteger(seconds) && seconds > 0)) {
      throw fault(`needs whole seconds, at least 1, as "${name}"`);
    }
  }
  return {
    ...config,
    url: readUrl(config.url ?? env.ASKHUB_URL),
    token: readToken(config.token ?? env.ASKHUB_TOKEN),
  };
}

/** @param {string | undefined} text */
function readUrl(text) {
  if (!text) throw fault('needs to know where askhub is: set ASKHUB_URL, or "url" of the plugin');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A password in it would show up in every error text.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw fault("needs a url like http://127.0.0.1:7440, without a user, a query or a fragment");
  }
  return url.href.replace(/\/+$/, "");
}

/** @param {string | undefined} text */
function readToken(text) {
  const token = text?.trim();
  if (!token) {
    throw fault(
      'needs an agent\'s token: set ASKHUB_TOKEN, or "token" of the plugin ("askhub token path" says where it is)',
    );
  }
  // `fetch` would say so too, but with the token in its words.
  if (!/^[\x21-\x7e]+$/.test(token)) throw fault("was given a token with characters that no token has");
  return token;
}

/** @param {string} what */
function fault(what) {
  return new Error(`askhub-hydra ${what}`);
}
