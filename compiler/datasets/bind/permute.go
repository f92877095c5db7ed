package bind
