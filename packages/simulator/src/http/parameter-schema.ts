/** The part of JSON Schema that request parameters need. An object with `properties` is closed. */
export interface RequestSchema {
  type?: string;
  enum?: string[];
  maxLength?: number;
  items?: RequestSchema;
  properties?: Record<string, RequestSchema>;
  additionalProperties?: RequestSchema;
  required?: string[];
  anyOf?: RequestSchema[];
}
