import type { Box } from '../box.ts'
import { downloadFile, downloadFolder } from './download.ts'
import { nameOf } from './paths.ts'
import type { Selection } from './selection.ts'
import { transfer } from './transfers.ts'

/** Downloads what is selected. A folder is packed into an archive. */
export function useDownloads(box: Box): (selection: Selection) => void {
  return ({ path, kind }) => {
    const isFolder = kind === 'directory'
    const title = `Download ${nameOf(path) || path}`
    void transfer({ sandboxId: box.id, title, totalBytes: undefined }, (report, signal) =>
      (isFolder ? downloadFolder : downloadFile)(box, path, report, signal),
    )
  }
}
