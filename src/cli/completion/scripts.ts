import type { CompletionNode } from './completion-tree.ts';

/** One script for each shell, whole in itself: completing starts no process. */
export const scripts = { bash, zsh, fish, powershell } as const;
export type Shell = keyof typeof scripts;

const childrenOf = (tree: readonly CompletionNode[], { path }: CompletionNode) =>
  tree.filter((each) => each.path.split(' ').slice(0, -1).join(' ') === path);
const candidates = ({ subcommands, words, flags }: CompletionNode) => [
  ...subcommands,
  ...words,
  ...flags.flatMap(({ names }) => names.filter((name) => name.startsWith('--'))),
];
const valueFlags = (tree: readonly CompletionNode[]) => [
  ...new Set(
    tree.flatMap(({ flags }) => flags.flatMap(({ hasValue, names }) => (hasValue ? names : []))),
  ),
];
/** `path word)` for each way from one command to the next, aliases included. */
const steps = (tree: readonly CompletionNode[]) =>
  tree.flatMap((node) =>
    childrenOf(tree, node).flatMap((child) =>
      child.names.map((name) => [`${node.path} ${name}`, child.path] as const),
    ),
  );

/** A way through the words typed so far, in the syntax that bash and zsh share. */
const walk = (tree: readonly CompletionNode[], words: string) => `
  local at="kcp" word previous=""
  for word in ${words}; do
    case "$previous" in
      ${valueFlags(tree).join('|')}) previous=""; continue ;;
    esac
    previous="$word"
    case "$at $word" in
${steps(tree)
  .map(([from, to]) => `      "${from}") at="${to}" ;;`)
  .join('\n')}
    esac
  done`;

function bash(tree: readonly CompletionNode[]): string {
  return `# bash completion of kcp
_kcp() {${walk(tree, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  local candidates=""
  case "$previous" in
    ${valueFlags(tree).join('|')}) COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); return ;;
  esac
  case "$at" in
${tree.map((node) => `    "${node.path}") candidates="${candidates(node).join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _kcp kcp
`;
}

function zsh(tree: readonly CompletionNode[]): string {
  const described = (node: CompletionNode) =>
    [
      ...childrenOf(tree, node).map(({ names: [name = ''], about }) => [name, about] as const),
      ...node.words.map((word) => [word, ''] as const),
      ...node.flags.flatMap(({ names, about }) =>
        names.filter((name) => name.startsWith('--')).map((name) => [name, about] as const),
      ),
    ]
      .map(([name, about]) =>
        quoted(about === '' ? name : `${name}:${about.replaceAll(':', '\\:')}`),
      )
      .join(' ');
  return `#compdef kcp
_kcp() {${walk(tree, '"${words[@]:1:$((CURRENT-2))}"')}
  local -a candidates
  case "$previous" in
    ${valueFlags(tree).join('|')}) _files; return ;;
  esac
  case "$at" in
${tree.map((node) => `    "${node.path}") candidates=(${described(node)}) ;;`).join('\n')}
  esac
  _describe 'kcp' candidates
}
if [ "$funcstack[1]" = "_kcp" ]; then _kcp "$@"; else compdef _kcp kcp; fi
`;
}

function fish(tree: readonly CompletionNode[]): string {
  const lines = tree.flatMap((node) => {
    const condition = `__kcp_at ${quoted(node.path)}`;
    return [
      ...childrenOf(tree, node).map(
        ({ names: [name = ''], about }) =>
          `complete -c kcp -f -n ${quoted(condition)} -a ${name} -d ${quoted(about)}`,
      ),
      ...node.words.map((word) => `complete -c kcp -f -n ${quoted(condition)} -a ${word}`),
      ...node.flags.map(({ names, about, hasValue }) => {
        const spelled = names
          .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
          .join(' ');
        return `complete -c kcp -n ${quoted(condition)} ${spelled}${hasValue ? ' -r' : ''} -d ${quoted(about)}`;
      }),
    ];
  });
  return `# fish completion of kcp
function __kcp_at
  set -l at kcp
  set -l previous ''
  set -l words (commandline -opc)
  for word in $words[2..-1]
    if contains -- "$previous" ${valueFlags(tree).join(' ')}
      set previous ''
      continue
    end
    set previous $word
    switch "$at $word"
${steps(tree)
  .map(([from, to]) => `      case ${quoted(from)}\n        set at ${quoted(to)}`)
  .join('\n')}
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function powershell(tree: readonly CompletionNode[]): string {
  const text = (each: string) => `'${each.replaceAll("'", "''")}'`;
  const table = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, value]) => `    ${text(name)} = ${value}`).join('\n');
  return `# PowerShell completion of kcp
Register-ArgumentCompleter -Native -CommandName kcp -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $steps = @{
${table(steps(tree).map(([from, to]) => [from, text(to)]))}
  }
  $candidates = @{
${table(tree.map((node) => [node.path, `@(${candidates(node).map(text).join(', ')})`]))}
  }
  $withValue = @(${valueFlags(tree).map(text).join(', ')})
  $path = 'kcp'
  $previous = ''
  $words = $commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() }
  foreach ($word in $words) {
    if ($word -eq $wordToComplete) { break }
    if ($withValue -ccontains $previous) { $previous = ''; continue }
    $previous = $word
    if ($steps.ContainsKey("$path $word")) { $path = $steps["$path $word"] }
  }
  $candidates[$path] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
