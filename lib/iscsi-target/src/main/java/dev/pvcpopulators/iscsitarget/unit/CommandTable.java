package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The commands of a logical unit by operation code and service action.
final class CommandTable {
  private static final int OPERATION_CODES = 256;
  private static final int SERVICE_ACTIONS = 32;
  private static final int SERVICE_ACTION_MASK = SERVICE_ACTIONS - 1;

  private final List<CommandEntry> commands;

  /// The commands without a service action, by operation code.
  private final @Nullable CommandEntry[] single = new CommandEntry[OPERATION_CODES];

  /// The commands with service actions, by operation code and service action; null if the operation
  /// code has no service actions.
  private final @Nullable CommandEntry[] @Nullable [] byServiceAction =
      new CommandEntry[OPERATION_CODES][];

  /// Creates a table of commands.
  ///
  /// @throws IllegalArgumentException if two commands have the same operation code, unless both
  ///   commands have a service action and the service actions differ
  CommandTable(List<CommandEntry> supported) {
    this.commands =
        supported.stream()
            .sorted(
                Comparator.comparingInt(CommandEntry::opcode)
                    .thenComparingInt(CommandEntry::serviceAction))
            .toList();
    commands.forEach(this::add);
  }

  private void add(CommandEntry command) {
    int opcode = command.opcode();
    int action = command.serviceAction();
    @Nullable CommandEntry @Nullable [] actions = byServiceAction[opcode];
    if (action >= 0) {
      if (actions == null) {
        actions = new CommandEntry[SERVICE_ACTIONS];
        byServiceAction[opcode] = actions;
      }
      if (actions[action] != null || single[opcode] != null) {
        throw new IllegalArgumentException("Two commands are " + command.name());
      }
      actions[action] = command;
    } else {
      if (actions != null || single[opcode] != null) {
        throw new IllegalArgumentException("Two commands are " + command.name());
      }
      single[opcode] = command;
    }
  }

  /// Returns all commands, sorted by operation code and then by service action.
  List<CommandEntry> all() {
    return commands;
  }

  /// Returns the command of a CDB.
  ///
  /// @return null if there is none
  @Nullable CommandEntry of(ByteBuffer cdb) {
    return of(cdb.get(0) & 0xFF, cdb.get(1) & SERVICE_ACTION_MASK);
  }

  /// Returns the command of an operation code and a service action.
  ///
  /// @param serviceAction ignored if the operation code has no service actions
  /// @return null if there is none
  @Nullable CommandEntry of(int opcode, int serviceAction) {
    CommandEntry command = single[opcode];
    if (command != null) {
      return command;
    }
    @Nullable CommandEntry @Nullable [] actions = byServiceAction[opcode];
    return actions == null || serviceAction >= SERVICE_ACTIONS ? null : actions[serviceAction];
  }

  /// Returns whether an operation code has service actions.
  boolean hasServiceActions(int opcode) {
    return byServiceAction[opcode] != null;
  }
}
