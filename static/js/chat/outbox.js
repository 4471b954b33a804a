// What was asked and is not known to have arrived: kept until it is, also over a reload.
import { read, write } from "../storage.js";

export class Outbox {
  constructor(conversation) {
    this.key = `kith:outbox:${conversation}`;
  }

  /** `frames` by their client id; the same id again is the same turn on the server. */
  get all() {
    try {
      return JSON.parse(read(this.key)) ?? [];
    } catch {
      return [];
    }
  }

  put(frame, text) {
    this.keep([...this.all.filter((one) => one.frame.client_id !== frame.client_id), { frame, text }]);
  }

  drop(clientId) {
    this.keep(this.all.filter((one) => one.frame.client_id !== clientId));
  }

  keep(all) {
    write(this.key, all.length ? JSON.stringify(all) : null);
  }
}
