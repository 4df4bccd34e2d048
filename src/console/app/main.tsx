import { render } from 'preact';

import { plantZone, startClock } from './client/clock.ts';
import { startLive } from './client/live.ts';
import { holder, restore, standing } from './client/session.ts';
import { startLater } from './shell/later.tsx';
import { startLook } from './shell/look.ts';
import { Shell } from './shell/shell.tsx';

startLook();
startClock();
startLive();
holder.subscribe((now) => {
  plantZone.value = now?.tenant.timezone ?? null;
});
if (standing.value.is === 'unknown') void restore();
const root = document.querySelector('#app');
if (root) render(<Shell />, root);
// After the first frame.
requestAnimationFrame(() => setTimeout(() => void startLater()));
