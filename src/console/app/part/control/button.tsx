import type { ComponentChildren } from 'preact';

type Given = {
  children: ComponentChildren;
  onPress(): void;
  kind?: 'primary' | 'danger' | 'plain' | 'quiet';
  isBusy?: boolean;
  isOff?: boolean;
  label?: string;
  /** Of a button that shows or hides something. */
  isOpen?: boolean;
  isPressed?: boolean;
};

/** A button; while busy or off it stays where it is and takes no press, and keeps the focus. */
export function Button({
  children,
  onPress,
  kind = 'plain',
  isBusy = false,
  isOff = false,
  label,
  isOpen,
  isPressed,
}: Given) {
  const rests = isBusy || isOff;
  return (
    <button
      type="button"
      class={kind}
      aria-disabled={rests ? 'true' : 'false'}
      aria-busy={isBusy ? 'true' : 'false'}
      {...(label !== undefined && { 'aria-label': label })}
      {...(isOpen !== undefined && { 'aria-expanded': isOpen })}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      onClick={() => {
        if (!rests) onPress();
      }}
    >
      {children}
    </button>
  );
}
