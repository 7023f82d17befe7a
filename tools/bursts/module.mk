bursts_PROGRAM := tapebursts
