import type { SandboxFile } from '@sandglass/protocol'
import { ChevronRight, File, FileSymlink, Folder, FolderOpen } from 'lucide-react'
import { size } from '../../../ui/sizes.ts'
import { TreeFolder } from './tree-folder.tsx'

export interface ItemProps {
  readonly sandboxId: string
  readonly path: string
  readonly name: string
  readonly kind: SandboxFile['kind']
  readonly bytes?: number
  readonly level: number
  /** The folders that are open. */
  readonly open: ReadonlySet<string>
  readonly selected: string
}

/** A file or a folder. What is in an open folder follows it, one level deeper. */
export function TreeItem(props: ItemProps) {
  const { path, name, kind, bytes, level, open, selected } = props
  const isFolder = kind === 'directory'
  const isOpen = isFolder && open.has(path)
  const isSelected = selected === path
  return (
    <>
      <div
        role="treeitem"
        aria-level={level}
        aria-selected={isSelected}
        {...(isFolder && { 'aria-expanded': isOpen })}
        tabIndex={isSelected ? 0 : -1}
        data-path={path}
        data-kind={kind}
        style={{ paddingLeft: `${level * 14 - 8}px` }}
        className="flex cursor-pointer items-center gap-1.5 rounded-md py-1 pr-2 outline-offset-[-2px] hover:bg-accent-soft/60 aria-selected:bg-accent-soft [&_svg]:size-4 [&_svg]:shrink-0"
      >
        {isFolder ? (
          <ChevronRight className={`text-quiet ${isOpen ? 'rotate-90' : ''}`} aria-hidden="true" />
        ) : (
          <span className="w-4 shrink-0" />
        )}
        <Icon kind={kind} isOpen={isOpen} />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {kind === 'file' && bytes !== undefined && (
          <span aria-hidden="true" className="text-xs text-quiet tabular-nums">
            {size(bytes)}
          </span>
        )}
      </div>
      {isOpen && <TreeFolder {...props} />}
    </>
  )
}

function Icon({ kind, isOpen }: { kind: SandboxFile['kind']; isOpen: boolean }) {
  if (kind === 'directory')
    return isOpen ? <FolderOpen className="text-accent" /> : <Folder className="text-accent" />
  return kind === 'symlink' ? <FileSymlink className="text-quiet" /> : <File className="text-quiet" />
}
