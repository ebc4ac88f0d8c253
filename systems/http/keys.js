// Buttons that a key presses, as `data-key` names it: ArrowRight. What is typed into a field is left alone.

document.addEventListener('keydown', (event) => {
  if (event.target.closest('input, textarea, select') !== null || event.ctrlKey || event.metaKey || event.altKey)
    return;
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
