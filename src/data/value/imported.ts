/** Issue text of imported values, so that they are never taken for values of the device. */
export const IMPORTED = 'Imported as a past value';
