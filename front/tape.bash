# Completion of tape's command line for bash.
_tape()
{
	local word=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "run live report view correct compare page help" \
			-- "$word") $(compgen -d -X '!*.tape' -- "$word"))
		return
	fi
	case ${COMP_WORDS[1]} in
	run | live)
		if [ "${COMP_WORDS[1]}" = run ] && [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-c -m -o -s" -- "$word"))
			return
		fi
		if [ "${COMP_WORDS[1]}" = live ] && [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-m -o -s --top --http --lines \
				--report --window --trace --plugin --history" \
				-- "$word"))
			return
		fi
		COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word"))
		;;
	report | view | correct | compare | page)
		COMPREPLY=($(compgen -d -X '!*.tape' -- "$word"))
		;;
	help)
		COMPREPLY=($(compgen -W "taperun tapecc tapedump tapestat \
			tapeview tapelive tapereport sba tico tapefit tapecal tapeplat tapebursts tapecut tapejoin \
			t2otf2 t2paraver \
			t2chrome t2paje t2np t2ti tapesim tapeplace otf2tape" -- "$word"))
		;;
	esac
}
complete -o filenames -F _tape tape
