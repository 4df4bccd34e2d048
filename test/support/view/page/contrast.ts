type Colour = [number, number, number, number];

const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

/** Any colour of CSS as red, green, blue and opacity. */
function parts(colour: string): Colour {
  if (!canvas) throw new Error('no canvas');
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

function luminance([red, green, blue]: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue]
    .map((part) => part / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function groundOf(element: Element | null): Colour {
  for (let at = element; at; at = at.parentElement) {
    const colour = parts(getComputedStyle(at).backgroundColor);
    if (colour[3] === 1) return colour;
  }
  return [255, 255, 255, 1];
}

/** WCAG contrast of every text of the document, the least first, with the text. */
function contrasts(): [number, string][] {
  const found: [number, string][] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: element, textContent } = texts.currentNode;
    const text = textContent?.trim() ?? '';
    if (!element || text === '' || ['SCRIPT', 'STYLE'].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const own = luminance(parts(element instanceof SVGElement ? style.fill : style.color));
    const ground = luminance(groundOf(element));
    const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
    found.push([Number(ratio.toFixed(2)), text.slice(0, 40)]);
  }
  return found.toSorted(([one], [other]) => one - other);
}

Object.assign(globalThis, { contrasts });
