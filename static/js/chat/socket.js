// One connection to one conversation that comes back by itself and never shows a frame twice.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const PING_EVERY = 20_000;
const PONG_WITHIN = 10_000;
const STEADY_AFTER = 5_000;
const FINAL_CODES = new Set([4401, 4403]);
const FLOODING = 4429;

/**
 * `on` has five functions: frame(object), known(object) for what was asked again and had
 * arrived, open(), waiting(seconds) while there is no connection, ended(code) when there
 * will be none again.
 */
export class Socket {
  constructor(path, after, on) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.url = `${scheme}//${location.host}${path}`;
    this.last = after;
    this.resumedAt = -1;
    this.failures = 0;
    this.on = on;
    this.ended = false;
    addEventListener("online", () => this.connectNow());
    addEventListener("pageshow", (event) => event.persisted && this.connectNow());
    document.addEventListener("visibilitychange", () => !document.hidden && this.connectNow());
  }

  get isOpen() {
    return this.link?.readyState === WebSocket.OPEN;
  }

  get isOpening() {
    return this.link?.readyState === WebSocket.CONNECTING;
  }

  send(frame) {
    if (!this.isOpen) return false;
    this.link.send(JSON.stringify(frame));
    return true;
  }

  connect() {
    this.stopClocks();
    const link = new WebSocket(this.url);
    this.link = link;
    link.onopen = () => this.opened();
    link.onmessage = (event) => this.link === link && this.received(event.data);
    link.onclose = (event) => this.link === link && this.closed(event.code);
  }

  connectNow() {
    const idle = !this.link || this.link.readyState > WebSocket.OPEN;
    if (idle && !this.ended) this.connect();
  }

  opened() {
    this.resume();
    this.steady = setTimeout(() => { this.failures = 0; }, STEADY_AFTER);
    this.pinging = setInterval(() => this.ping(), PING_EVERY);
    this.on.open();
  }

  resume() {
    this.resumedAt = this.last;
    this.send({ type: "resume", after: this.last });
  }

  ping() {
    this.send({ type: "ping" });
    clearTimeout(this.pongDue);
    this.pongDue = setTimeout(() => this.giveUp(), PONG_WITHIN);
  }

  // A dead connection may take minutes to close by itself, so it is left behind.
  giveUp() {
    const link = this.link;
    link.onclose = null;
    link.close();
    this.closed(0);
  }

  received(data) {
    clearTimeout(this.pongDue);
    const frame = JSON.parse(data);
    if (frame.type === "pong") return;
    if (frame.seq === undefined) {
      this.on.frame(frame);
      return;
    }
    if (frame.seq <= this.last) {
      if (frame.type === "accepted") this.on.known(frame);
      return;
    }
    // A hole means that a frame was dropped on the way: ask once for all after the last one.
    if (frame.seq > this.last + 1 && this.resumedAt !== this.last) {
      this.resume();
      return;
    }
    this.last = frame.seq;
    this.on.frame(frame);
  }

  closed(code) {
    this.stopClocks();
    if (FINAL_CODES.has(code)) {
      this.ended = true;
      this.on.ended(code);
      return;
    }
    this.failures += 1;
    const ceiling = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.failures - 1));
    const wait = code === FLOODING ? LONGEST_WAIT : ceiling * (0.5 + Math.random() / 2);
    this.waitUntil(Date.now() + wait);
  }

  waitUntil(moment) {
    const left = Math.max(0, moment - Date.now());
    this.on.waiting(Math.ceil(left / 1000));
    this.retry = setTimeout(() => (left > 1000 ? this.waitUntil(moment) : this.connect()), Math.min(left, 1000));
  }

  stopClocks() {
    clearTimeout(this.retry);
    clearTimeout(this.steady);
    clearTimeout(this.pongDue);
    clearInterval(this.pinging);
  }
}
