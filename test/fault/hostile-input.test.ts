import { describeHostileInput } from '../support/hostile/field-values.ts';

describeHostileInput(1);
