// An older branch of a conversation: to be read, copied and looked into, and nothing else.
import { listenForActions } from "./chat/actions.js";
import { Sidebar } from "./chat/sidebar.js";
import { Sources } from "./chat/sources.js";
import { Thread } from "./chat/thread.js";
import { Why } from "./chat/why.js";

const boot = JSON.parse(document.getElementById("boot").textContent);
const why = new Why(boot.conversation);
const thread = new Thread(boot.conversation, { changed() {}, accepted() {}, refused() {}, ready() {} });
new Sidebar(boot.conversation);
new Sources(boot.conversation, thread);
listenForActions(thread, { why: (button) => why.toggle(button) });
document.getElementById(location.hash.slice(1))?.scrollIntoView();
