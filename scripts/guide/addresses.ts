import { posix } from 'node:path'

/** Where the service shows the guide. */
export const guideAddress = '/docs/guide'

/** Files that the pages of the guide need, such as pictures. Their names contain a hash of what is in them. */
export const guideAssets = `${guideAddress}/assets`

/** The name of a page in the guide, which is also its file without an extension: `docs/operating.md` is `operating`. */
export function nameOf(file: string): string {
  const page = file.replace(/^docs\//, '')
  if (page === 'README.md') return file === page ? 'readme' : 'index'
  // Files that are shown as they are, such as examples, keep their extension.
  return page.replace(/\.md$/, '').toLowerCase()
}

export function addressOf(file: string): string {
  const name = nameOf(file)
  return name === 'index' ? guideAddress : `${guideAddress}/${name}`
}

/** The path in the repository that a link of this page leads to. */
export function targetOf(page: string, link: string): string {
  return posix.join(posix.dirname(page), link).replace(/\/$/, '')
}
