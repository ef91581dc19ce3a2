/** How many models are ticked to be compared stands on the button, which cannot be pressed for fewer than two. */

const boxes = [...document.querySelectorAll<HTMLInputElement>('input[name="compare"]')];
const go = document.querySelector<HTMLButtonElement>('.compare-go button');

if (go) count(go);

function count(button: HTMLButtonElement): void {
  const { form } = button;
  const show = () => {
    const ticked = boxes.filter(({ checked, type }) => checked || type === 'hidden').length;
    button.disabled = ticked < 2;
    const words = ticked < 2 ? form?.dataset['few'] : form?.dataset['many']?.replace('#', String(ticked));
    button.textContent = words ?? '';
  };
  for (const box of boxes) box.addEventListener('change', show);
  // A page that is gone back to has the ticks that it was left with.
  addEventListener('pageshow', show);
  show();
}

export {};
