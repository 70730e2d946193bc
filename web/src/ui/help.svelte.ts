// Whether the dialog with the keys is open.

class Help {
  isOpen = $state(false);

  open(): void {
    this.isOpen = true;
  }
}

export const help = new Help();
