/** What LwM2M knows of a resource; of a duration, say, no more than that it is a number of seconds. */
export type ResourceType =
  | 'STRING'
  | 'INTEGER'
  | 'UNSIGNED'
  | 'FLOAT'
  | 'BOOLEAN'
  | 'OPAQUE'
  | 'TIME'
  | 'LINK'
  | 'NONE';

/** Readable, writable, both, or executable. */
export type Operations = 'R' | 'W' | 'RW' | 'E';

export type ResourceDefinition = {
  id: number;
  name: string;
  operations: Operations;
  /** NONE of what is executed. */
  type: ResourceType;
  /** Empty where the registry names none: a sensor then says it in its resource 5701. */
  unit: string;
  range: readonly [number, number] | null;
  /** Whether it has instances of its own, which no point can hold. */
  isMultiple: boolean;
  /** Whether every instance of the object has it. */
  isMandatory: boolean;
};

export type ObjectDefinition = {
  id: number;
  name: string;
  resources: readonly ResourceDefinition[];
};

type Rest = Partial<Pick<ResourceDefinition, 'unit' | 'range' | 'isMultiple' | 'isMandatory'>>;

export const resource = (
  id: number,
  name: string,
  operations: Operations,
  type: ResourceType,
  { unit = '', range = null, isMultiple = false, isMandatory = false }: Rest = {},
): ResourceDefinition => ({
  id,
  name,
  operations,
  type,
  unit,
  range,
  isMultiple,
  isMandatory,
});
