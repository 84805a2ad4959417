/// Text for people: wrapped lines, the safe form of text from outside, and suggestions for misspelt
/// words.
@NullMarked
package dev.pvcpopulators.kit.text;

import org.jspecify.annotations.NullMarked;
