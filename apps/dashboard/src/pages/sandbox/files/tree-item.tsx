import type { SandboxFile } from '@sandglass/protocol'
import { ChevronRight, File, FileSymlink, Folder, FolderOpen } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/problems.ts'
import { size } from '../../../ui/sizes.ts'
import { join } from './paths.ts'
import { useFolder } from './use-folder.ts'

interface ItemProps {
  readonly sandboxId: string
  readonly path: string
  readonly name: string
  readonly kind: SandboxFile['kind']
  readonly bytes?: number
  readonly level: number
  readonly open: ReadonlySet<string>
  readonly selected: string
}

/** A file, or a folder with what is in it if it is open. */
export function TreeItem(props: ItemProps) {
  const { path, name, kind, bytes, level, open, selected } = props
  const isFolder = kind === 'directory'
  const isOpen = isFolder && open.has(path)
  const isSelected = selected === path
  return (
    <div
      role="treeitem"
      aria-label={name}
      aria-level={level}
      aria-selected={isSelected}
      {...(isFolder && { 'aria-expanded': isOpen })}
      tabIndex={isSelected ? 0 : -1}
      data-path={path}
      data-kind={kind}
      className="group/item rounded-md outline-offset-[-2px]"
    >
      <div
        style={{ paddingLeft: `${level * 14 - 8}px` }}
        className={`flex cursor-pointer items-center gap-1.5 rounded-md py-1 pr-2 hover:bg-accent-soft/60 [&_svg]:size-4 [&_svg]:shrink-0 ${isSelected ? 'bg-accent-soft' : ''}`}
      >
        {isFolder ? (
          <ChevronRight className={`text-quiet ${isOpen ? 'rotate-90' : ''}`} />
        ) : (
          <span className="w-4 shrink-0" />
        )}
        <Icon kind={kind} isOpen={isOpen} />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {kind === 'file' && bytes !== undefined && (
          <span className="text-xs text-quiet tabular-nums">{size(bytes)}</span>
        )}
      </div>
      {isOpen && <Children {...props} />}
    </div>
  )
}

function Children({ sandboxId, path, level, open, selected }: ItemProps) {
  const { data, error, isPending, hasNextPage, fetchNextPage } = useFolder(sandboxId, path, true)
  const indent = { paddingLeft: `${level * 14 + 28}px` }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group in a tree is no set of fields.
    <div role="group">
      {isPending && (
        <p style={indent} className="py-1 text-quiet">
          …
        </p>
      )}
      {error && (
        <p style={indent} role="alert" className="py-1 text-[13px] text-wrong">
          {messageOf(error)}
        </p>
      )}
      {data?.map(file => (
        <TreeItem
          key={file.name}
          sandboxId={sandboxId}
          path={join(path, file.name)}
          name={file.name}
          kind={file.kind}
          bytes={file.size}
          level={level + 1}
          open={open}
          selected={selected}
        />
      ))}
      {data?.length === 0 && (
        <p style={indent} className="py-1 text-[13px] text-quiet">
          Empty
        </p>
      )}
      {hasNextPage && (
        <Button size="small" look="quiet" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  )
}

function Icon({ kind, isOpen }: { kind: SandboxFile['kind']; isOpen: boolean }) {
  if (kind === 'directory')
    return isOpen ? <FolderOpen className="text-accent" /> : <Folder className="text-accent" />
  return kind === 'symlink' ? <FileSymlink className="text-quiet" /> : <File className="text-quiet" />
}
