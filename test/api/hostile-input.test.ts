import { describeHostileInput } from '../support/hostile/field-values.ts';

// A seeded fifth of the values; `npm run prove -- hostile` sends 2,000 inputs to each route.
describeHostileInput(0.2);
