import type { SandboxFile } from '@sandglass/protocol'
import { home, parentOf } from './paths.ts'

/** What is selected in the tree. */
export interface Selection {
  readonly path: string
  readonly kind: SandboxFile['kind']
}

/** Where something new is put. */
export function folderOf(selection: Selection | undefined): string {
  if (!selection) return home
  return selection.kind === 'directory' ? selection.path : parentOf(selection.path)
}

/** The home and the file system themselves can neither be renamed nor deleted. */
export function isRoot(path: string): boolean {
  return path === home || path === '/'
}
