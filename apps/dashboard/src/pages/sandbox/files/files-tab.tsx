import { type DragEvent, useCallback, useState } from 'react'
import { classes } from '../../../ui/classes.ts'
import { Empty } from '../../../ui/notes.tsx'
import { useBox } from '../box.ts'
import { droppedFiles } from './dropped.ts'
import { EditorPane } from './editor-pane.tsx'
import { useFileChanges } from './file-changes.ts'
import { folderOf, type Selection } from './selection.ts'
import { Toolbar } from './toolbar.tsx'
import { TransferList } from './transfer-list.tsx'
import { FileTree } from './tree.tsx'
import { useDownloads } from './use-downloads.ts'
import { useLeaving } from './use-leaving.ts'
import { useUploads } from './use-uploads.tsx'

/** The files of a machine: a tree, an editor, and the way in and out. */
export function FilesTab({ sandboxId, isPhone }: { sandboxId: string; isPhone: boolean }) {
  const box = useBox(sandboxId, isPhone)
  const [selection, setSelection] = useState<Selection>()
  const [opened, setOpened] = useState<Selection>()
  const [isOver, setOver] = useState(false)
  const [isDirty, setDirty] = useState(false)
  const mayLeave = useLeaving(isDirty)
  const uploads = useUploads(box)
  const download = useDownloads(box)
  useFileChanges(box)
  const onDirty = useCallback((dirty: boolean) => setDirty(dirty), [])
  const select = (next: Selection) => {
    setSelection(next)
    if (next.kind !== 'directory' && next.path !== opened?.path && mayLeave()) setOpened(next)
  }
  const forget = (path: string) => {
    setSelection(undefined)
    if (opened?.path === path || opened?.path.startsWith(`${path}/`)) setOpened(undefined)
  }
  const drop = (event: DragEvent<HTMLElement>) => {
    event.preventDefault()
    setOver(false)
    const over = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-path]') : null
    const { path, kind } = over?.dataset ?? {}
    const folder =
      path === undefined
        ? folderOf(selection)
        : folderOf({ path, kind: kind === 'directory' ? 'directory' : 'file' })
    void droppedFiles(event.dataTransfer).then(files => uploads.ask(folder, files))
  }
  return (
    <section
      aria-label="Files"
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className="flex flex-col gap-3"
    >
      <Toolbar
        box={box}
        selection={selection}
        onUpload={files => uploads.ask(folderOf(selection), files)}
        onDownload={download}
        onSelect={select}
        onGone={forget}
      />
      <div className="flex flex-col gap-3 md:h-[calc(100dvh-16rem)] md:min-h-96 md:flex-row">
        <div
          className={classes(
            'max-h-80 shrink-0 overflow-y-auto rounded-lg border border-line bg-panel p-1 md:max-h-none md:w-72',
            isOver && 'border-accent ring-2 ring-accent',
          )}
        >
          <FileTree sandboxId={sandboxId} selection={selection} onSelect={select} />
        </div>
        <div className="h-[60dvh] min-w-0 flex-1 overflow-hidden rounded-lg border border-line bg-panel md:h-auto">
          {opened ? (
            <EditorPane
              key={opened.path}
              box={box}
              path={opened.path}
              onDirty={onDirty}
              onDownload={() => download(opened)}
            />
          ) : (
            <div className="p-4">
              <Empty title="Choose a file to open it.">Drop files here to upload them.</Empty>
            </div>
          )}
        </div>
      </div>
      <TransferList sandboxId={sandboxId} />
      {uploads.question}
    </section>
  )
}
