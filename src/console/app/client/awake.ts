import { useEffect, useState } from 'preact/hooks';

/** Keeps the screen on while the component is there and the page is seen; answers false where the browser does not. */
export function useAwake(): boolean {
  const [isAwake, setAwake] = useState(true);
  useEffect(() => {
    let held: WakeLockSentinel | null = null;
    let isOver = false;
    // The browser takes it back from a page that is not seen.
    const hold = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const lock = await navigator.wakeLock.request('screen');
        if (isOver) await lock.release();
        else {
          held = lock;
          setAwake(true);
        }
      } catch {
        // Absent without HTTPS; refused where the battery is low.
        if (!isOver) setAwake(false);
      }
    };
    const again = (): void => void hold();
    again();
    document.addEventListener('visibilitychange', again);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', again);
      void held?.release().catch(() => {});
    };
  }, []);
  return isAwake;
}
