import { computed } from '@preact/signals';

import { storedOfPerson, storeOfPerson } from './stored.ts';

/** A point of a device. */
export type Favourite = { deviceId: string; pointId: string };

const MOST = 8;

/** The points that the person wants to see first, the first chosen first. */
export const favourites = computed((): readonly Favourite[] => {
  return (storedOfPerson('favourites') ?? '')
    .split(' ')
    .flatMap((text) => {
      const [deviceId, pointId] = text.split(':');
      return deviceId && pointId ? [{ deviceId, pointId }] : [];
    })
    .slice(0, MOST);
});

export const isFavourite = ({ deviceId, pointId }: Favourite): boolean =>
  favourites.value.some((each) => each.deviceId === deviceId && each.pointId === pointId);

/** Adds the point, or takes it away; of too many the first chosen goes. False where the browser cannot store it. */
export function toggleFavourite({ deviceId, pointId }: Favourite): boolean {
  const others = favourites.value.filter(
    (each) => each.deviceId !== deviceId || each.pointId !== pointId,
  );
  const next =
    others.length < favourites.value.length
      ? others
      : [...others.slice(Math.max(0, others.length + 1 - MOST)), { deviceId, pointId }];
  return storeOfPerson(
    'favourites',
    next.map((each) => `${each.deviceId}:${each.pointId}`).join(' '),
  );
}
