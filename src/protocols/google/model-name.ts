/** The name that a model has inside requests and in their addresses. */

/** `models/gemini-2.5-flash`; what names its collection itself, as tuned models do, stays as it is. */
export function modelName(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}
