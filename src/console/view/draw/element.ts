type Child = Node | string | null;
type Attributes = Record<string, string | number>;

const SVG = 'http://www.w3.org/2000/svg';

/** An element with classes `name`; texts in it stay texts, whatever is in them. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name: string,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (name !== '') element.className = name;
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A name or words of a device or person: apart from the text around it, also where it runs from right to left. */
export const quoted = (text: string): HTMLElement => el('bdi', '', text);

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(name: string, label: string, pressed: () => void): HTMLButtonElement {
  const element = el('button', name, label);
  element.type = 'button';
  element.addEventListener('click', pressed);
  return element;
}

/** Terms with what they are, without those that are not known. */
export const facts = (pairs: readonly (readonly [string, Child])[]): HTMLElement =>
  el(
    'dl',
    'facts',
    ...pairs.flatMap(([term, value]) =>
      value === null || value === ''
        ? []
        : [el('div', '', el('dt', '', term), el('dd', '', value))],
    ),
  );

/** Makes `children` all that the view shows; a button that has the focus keeps it in its successor of the same name. */
export function show(...children: Child[]): void {
  const { activeElement } = document;
  const pressed = activeElement instanceof HTMLButtonElement ? activeElement.textContent : null;
  document.querySelector('main')?.replaceChildren(...children.filter((child) => child !== null));
  if (pressed === null) return;
  for (const successor of document.querySelectorAll('button'))
    if (successor.textContent === pressed) successor.focus();
}
