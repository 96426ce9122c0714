import { useQueryClient } from '@tanstack/react-query'
import { Download, FilePlus, FolderPlus, Pencil, RefreshCw, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { readAgain } from '../../../app/calls.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { Box } from '../box.ts'
import { type ChosenFile, chosenFiles } from './dropped.ts'
import { NameDialog, type Naming } from './name-dialog.tsx'
import { nameOf } from './paths.ts'
import { isRoot, type Selection } from './selection.ts'
import { useRemoval } from './use-removal.ts'

/** What can be done with the selected file or folder. */
export function Toolbar({
  box,
  selection,
  onUpload,
  onDownload,
  onSelect,
  onGone,
}: {
  box: Box
  selection: Selection | undefined
  onUpload: (files: readonly ChosenFile[]) => void
  onDownload: (selection: Selection) => void
  onSelect: (selection: Selection) => void
  onGone: (path: string) => void
}) {
  const [naming, setNaming] = useState<Naming>()
  const [isRemoving, setRemoving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const removal = useRemoval(box, path => {
    setRemoving(false)
    onGone(path)
  })
  const isFixed = !selection || isRoot(selection.path)
  return (
    <div role="toolbar" aria-label="Files" className="flex flex-wrap items-center gap-1">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={event => {
          onUpload(chosenFiles(event.target.files ?? []))
          event.target.value = ''
        }}
      />
      <IconButton label="Upload files" onClick={() => input.current?.click()}>
        <Upload />
      </IconButton>
      <IconButton label="Download" disabled={!selection} onClick={() => selection && onDownload(selection)}>
        <Download />
      </IconButton>
      <IconButton label="New file" onClick={() => setNaming('file')}>
        <FilePlus />
      </IconButton>
      <IconButton label="New folder" onClick={() => setNaming('folder')}>
        <FolderPlus />
      </IconButton>
      <IconButton label="Rename" disabled={isFixed} onClick={() => setNaming('rename')}>
        <Pencil />
      </IconButton>
      <IconButton label="Delete" disabled={isFixed} onClick={() => setRemoving(true)}>
        <Trash2 />
      </IconButton>
      <IconButton label="Read again" onClick={() => void readAgain(queries, ['listSandboxFiles'])}>
        <RefreshCw />
      </IconButton>
      {naming && (
        <NameDialog
          box={box}
          naming={naming}
          selection={selection}
          onClose={() => setNaming(undefined)}
          onNamed={(named, earlier) => {
            setNaming(undefined)
            if (earlier !== undefined) onGone(earlier)
            onSelect(named)
          }}
        />
      )}
      {isRemoving && selection && (
        <Confirm
          title={`Delete ${nameOf(selection.path)}?`}
          about={selection.kind === 'directory' ? 'Everything in the folder is lost.' : 'The file is lost.'}
          action="Delete"
          isOpen
          isBusy={removal.isPending}
          error={removal.error}
          onClose={() => setRemoving(false)}
          onConfirm={() => removal.mutate(selection.path)}
        />
      )}
    </div>
  )
}
