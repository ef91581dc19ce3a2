/** Where a model stands in the dashboard. Names have slashes in them, which stay. */
export const addressOfOwnModel = (publicId: string): string =>
  `/dashboard/models/${publicId.split('/').map(encodeURIComponent).join('/')}`;
