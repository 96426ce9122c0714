/** A file to upload, and its path below the folder that it is uploaded to. */
export interface ChosenFile {
  readonly path: string
  readonly file: File
}

/** The files that were dropped, also those in folders. */
export async function droppedFiles(data: DataTransfer): Promise<readonly ChosenFile[]> {
  // The list is empty after the first wait, so the entries are taken before.
  const entries = [...data.items].flatMap(item => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return chosenFiles(data.files)
  return (await Promise.all(entries.map(filesIn))).flat()
}

export function chosenFiles(files: Iterable<File>): readonly ChosenFile[] {
  return [...files].map(file => ({ path: file.name, file }))
}

async function filesIn(entry: FileSystemEntry): Promise<readonly ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const found: FileSystemEntry[] = []
  // It returns some at a time, and nothing at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) break
    found.push(...some)
  }
  return (await Promise.all(found.map(filesIn))).flat()
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
