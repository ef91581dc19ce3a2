/** A frame of server-sent events that no reader takes for one. */
export const idleComment = ': still waiting\n\n';
