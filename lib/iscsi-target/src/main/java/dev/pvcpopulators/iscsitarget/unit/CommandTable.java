package dev.pvcpopulators.iscsitarget.unit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The commands of a logical unit by operation code and service action.
final class CommandTable {
  private static final int OPERATION_CODES = 256;
  private static final int SERVICE_ACTIONS = 32;
  private static final int SERVICE_ACTION_MASK = SERVICE_ACTIONS - 1;

  private final List<SupportedCommand> commands;

  /// The commands without service action, by operation code.
  private final @Nullable SupportedCommand[] single = new SupportedCommand[OPERATION_CODES];

  /// The others by operation code and service action; null if the operation code has none.
  private final @Nullable SupportedCommand[] @Nullable [] byServiceAction =
      new SupportedCommand[OPERATION_CODES][];

  /// Creates a table of commands.
  ///
  /// @throws IllegalArgumentException if two have the same code
  CommandTable(List<SupportedCommand> supported) {
    List<SupportedCommand> sorted = new ArrayList<>(supported);
    sorted.sort((a, b) ->
        a.entry().opcode() == b.entry().opcode()
            ? Integer.compare(a.entry().serviceAction(), b.entry().serviceAction())
            : Integer.compare(a.entry().opcode(), b.entry().opcode()));
    this.commands = List.copyOf(sorted);
    sorted.forEach(this::add);
  }

  private void add(SupportedCommand command) {
    int opcode = command.entry().opcode();
    int action = command.entry().serviceAction();
    @Nullable SupportedCommand @Nullable [] actions = byServiceAction[opcode];
    if (action >= 0) {
      if (actions == null) {
        actions = new SupportedCommand[SERVICE_ACTIONS];
        byServiceAction[opcode] = actions;
      }
      if (actions[action] != null || single[opcode] != null) {
        throw new IllegalArgumentException("Two commands are " + command.entry().name());
      }
      actions[action] = command;
    } else {
      if (actions != null || single[opcode] != null) {
        throw new IllegalArgumentException("Two commands are " + command.entry().name());
      }
      single[opcode] = command;
    }
  }

  /// Returns all commands in ascending order.
  List<SupportedCommand> all() {
    return commands;
  }

  /// Returns the command of a CDB.
  ///
  /// @return null if there is none
  @Nullable SupportedCommand of(ByteBuffer cdb) {
    return of(cdb.get(0) & 0xFF, cdb.get(1) & SERVICE_ACTION_MASK);
  }

  /// Returns the command of a code.
  ///
  /// @param serviceAction ignored if the operation code has none
  /// @return null if there is none
  @Nullable SupportedCommand of(int opcode, int serviceAction) {
    SupportedCommand command = single[opcode];
    if (command != null) {
      return command;
    }
    @Nullable SupportedCommand @Nullable [] actions = byServiceAction[opcode];
    return actions == null || serviceAction >= SERVICE_ACTIONS ? null : actions[serviceAction];
  }

  /// Whether an operation code has service actions.
  boolean hasServiceActions(int opcode) {
    return byServiceAction[opcode] != null;
  }
}
