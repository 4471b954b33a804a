// Dates are relative up to a week and absolute after it; the exact one is in the title.
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];
const WEEK = 7 * 86400;
const language = document.documentElement.lang || "en";
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

function relativeText(date, now) {
  const seconds = (date - now) / 1000;
  if (Math.abs(seconds) >= WEEK) return null;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(0, "second");
}

export function freshenTimes(root = document) {
  const now = Date.now();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const text = relativeText(Date.parse(time.dateTime), now);
    time.dataset.absolute ??= time.textContent;
    const wanted = text ?? time.dataset.absolute;
    if (time.textContent !== wanted) time.textContent = wanted;
  }
}

/** A <time> for this moment. */
export function timeNow() {
  const now = new Date();
  const time = document.createElement("time");
  time.dateTime = now.toISOString();
  time.title = now.toLocaleString(language);
  time.textContent = relative.format(0, "second");
  time.dataset.absolute = shortDate(time.dateTime);
  return time;
}

export function shortDate(iso) {
  return new Date(iso).toLocaleDateString(language, { year: "numeric", month: "long", day: "numeric" });
}
