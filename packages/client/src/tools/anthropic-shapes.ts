/** The computer tools of Anthropic that can be used here. */
export type AnthropicComputerType = 'computer_toolset_20260801' | 'computer_20251124' | 'computer_20250124'

/** A tool as the Messages API takes it. */
export type AnthropicToolDefinition =
  | {
      type: 'computer_toolset_20260801'
      configs: { left_mouse_down: { enabled: false }; left_mouse_up: { enabled: false } }
    }
  | {
      type: 'computer_20251124'
      name: 'computer'
      display_width_px: number
      display_height_px: number
      enable_zoom: true
    }
  | { type: 'computer_20250124'; name: 'computer'; display_width_px: number; display_height_px: number }
  | { type: 'bash_20250124'; name: 'bash' }
  | { type: 'text_editor_20250728'; name: 'str_replace_based_edit_tool' }
  | { name: string; description: string; input_schema: { type: 'object'; [field: string]: unknown } }

/** A block of a message. Only `tool_use` blocks are looked at. */
export interface AnthropicBlock {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  /** Of a call to a tool of a toolset, which is then named by `name`. */
  readonly toolset_name?: string | null
}

/** What a tool call is answered with. */
export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: (
    | { type: 'text'; text: string }
    | {
        type: 'image'
        source: { type: 'base64'; media_type: 'image/webp' | 'image/png' | 'image/jpeg'; data: string }
      }
  )[]
  is_error?: true
  toolset_name?: string
}
