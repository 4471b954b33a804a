// The words a script shows stand in the page as data-text-* attributes, already translated.

export function wordsFrom(id) {
  const element = document.getElementById(id);
  return (name, values = {}) => fill(element?.getAttribute(`data-text-${name}`) ?? "", values);
}

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
