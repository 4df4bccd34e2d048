import { computed, signal } from '@preact/signals';

import { holder } from './session.ts';

/** A point of a device. */
export type Favourite = { deviceId: string; pointId: string };

const MOST = 8;
const kept = signal(0);

/** Kept in this browser alone, for each person of each tenant. */
const place = (): string | null =>
  holder.value &&
  `svc-favourites ${holder.value.tenant.tenantCode} ${holder.value.person.loginName}`;

/** The points that the person wants to see first, the first chosen first. */
export const favourites = computed((): readonly Favourite[] => {
  const at = kept.value >= 0 ? place() : null;
  return (at === null ? '' : (localStorage.getItem(at) ?? ''))
    .split(' ')
    .flatMap((text) => {
      const [deviceId, pointId] = text.split(':');
      return deviceId && pointId ? [{ deviceId, pointId }] : [];
    })
    .slice(0, MOST);
});

export const isFavourite = ({ deviceId, pointId }: Favourite): boolean =>
  favourites.value.some((each) => each.deviceId === deviceId && each.pointId === pointId);

/** Adds the point, or takes it away; of too many the first chosen goes. */
export function toggleFavourite({ deviceId, pointId }: Favourite): void {
  const at = place();
  if (at === null) return;
  const others = favourites.value.filter(
    (each) => each.deviceId !== deviceId || each.pointId !== pointId,
  );
  const next =
    others.length < favourites.value.length
      ? others
      : [...others.slice(Math.max(0, others.length + 1 - MOST)), { deviceId, pointId }];
  localStorage.setItem(at, next.map((each) => `${each.deviceId}:${each.pointId}`).join(' '));
  kept.value += 1;
}
