import { useState } from 'preact/hooks';

import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';

/** A text to be taken elsewhere, with a button that copies it where the browser allows that. */
export function Copy({ text, label }: { text: string; label: string }) {
  const w = partWords();
  const [isCopied, setCopied] = useState(false);
  // Browsers give it to secure origins and loopback alone.
  const board = globalThis.isSecureContext ? navigator.clipboard : null;
  const copy = async (): Promise<void> => {
    await board?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      {board && (
        <Button onPress={() => void copy()} label={`${w.copy}: ${label}`}>
          {isCopied ? w.copied : w.copy}
        </Button>
      )}
    </div>
  );
}
