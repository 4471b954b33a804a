// The sign-in page of a demo: one click on an account fills the form.

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-account]");
  const form = document.querySelector("form.form");
  if (!button || !form) return;
  form.querySelector("[name=login]").value = button.dataset.account;
  form.querySelector("[name=password]").value = button.dataset.secret;
  form.querySelector("[type=submit]").focus();
});
