/** How lines differ without colours that mean something. */
export const STROKES = [
  { color: '--accent', dash: [] },
  { color: '--text', dash: [] },
  { color: '--accent', dash: [6, 4] },
  { color: '--quiet', dash: [2, 3] },
] as const;

export type Colors = {
  lines: readonly string[];
  text: string;
  grid: string;
  of(name: string): string;
};

/** The colours of the tokens as they are now: a canvas knows no custom properties. */
export function colorsOf(element: HTMLElement): Colors {
  const probe = document.createElement('span');
  element.append(probe);
  const of = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const known = new Map(
    ['--accent', '--text', '--quiet', '--line', '--raised', '--danger', '--warning', '--good'].map(
      (name) => [name, of(name)] as const,
    ),
  );
  probe.remove();
  const color = (name: string): string => known.get(name) ?? 'gray';
  return {
    lines: STROKES.map(({ color: name }) => color(name)),
    text: color('--quiet'),
    grid: color('--line'),
    of: color,
  };
}

/** The same colour, to be seen through. */
export const thin = (color: string): string => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.18)');
