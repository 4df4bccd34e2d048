import { describeHostileInput } from '../support/hostile/field-values.ts';

describeHostileInput(0.5);
