/** Each asks the program itself, so that a script does not get old. */
export const completionScripts = {
  bash: `_sandglass() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o bashdefault -F _sandglass sandglass
`,
  zsh: `#compdef sandglass
_sandglass() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}\${line:+:}\${line#*$'\\t'}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'sandglass' found; else _files; fi
}
if [ "\${funcstack[1]}" = "_sandglass" ]; then _sandglass; else compdef _sandglass sandglass; fi
`,
  fish: `function __sandglass_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c sandglass -f -a '(__sandglass_complete)'
`,
} as const
