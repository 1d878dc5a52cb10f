# Called by embed_text at build time with FILE and OUTPUT.
file(READ ${FILE} text)
file(WRITE ${OUTPUT} "R\"~~text~~(${text})~~text~~\"\n")
