import { devices } from './devices.ts';
import { identity } from './identity.ts';

export const mutations = [...identity, ...devices];
