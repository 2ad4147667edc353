# fish completion for tplan: what may come next is asked of the program, so that it
# is never out of date.
function __tplan_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l answer ($words[1] --complete $words[2..-1] "$word" 2>/dev/null)
    set -q answer[2]; and printf '%s\n' $answer[2..-1]
    string match -q 'files*' -- $answer[1]; or return 0
    # Files behind what of the word is no name of one, such as "x=".
    set -l before (string replace -r '^files ?' '' -- $answer[1])
    set -l start (math (string length -- "$before") + 1)
    for name in (__fish_complete_path (string sub -s $start -- "$word"))
        printf '%s\n' $before$name
    end
end

complete -c tplan -f -a '(__tplan_complete)'
