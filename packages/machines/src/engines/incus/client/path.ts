/** The path of a request: below /1.0, with the project and further parameters in the query. */
export function pathOf(
  path: string,
  project: string | undefined,
  parameters: Record<string, string> = {},
): string {
  const url = new URL(`/1.0${path}`, 'http://incus')
  if (project !== undefined && !url.searchParams.has('project') && !url.searchParams.has('all-projects'))
    url.searchParams.set('project', project)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return `${url.pathname}${url.search}`
}
