import { describeHostileInput } from '../support/hostile/field-values.ts';

// A seeded fifth of the values; test/fault/hostile-input.test.ts sends half of them.
describeHostileInput(0.2);
